import org.openapitools.client.ApiClient;

/** How the client is set up with `native`, the JDK's own client. */
final class Session {
  static ApiClient at(String origin) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(origin);
    return client;
  }

  static ApiClient withToken(String origin, String token) {
    ApiClient session = at(origin);
    session.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return session;
  }
}
