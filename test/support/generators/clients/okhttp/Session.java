import org.openapitools.client.ApiClient;

/** How the client is set up with its default library, OkHttp. */
final class Session {
  static ApiClient at(String origin) {
    return new ApiClient().setBasePath(origin);
  }

  static ApiClient withToken(String origin, String token) {
    ApiClient session = at(origin);
    session.setBearerToken(token);
    return session;
  }
}
