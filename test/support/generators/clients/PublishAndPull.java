import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ConsumingApi;
import org.openapitools.client.api.PublishingApi;
import org.openapitools.client.api.TokensApi;
import org.openapitools.client.model.AckRequest;
import org.openapitools.client.model.EnvelopeSystem;
import org.openapitools.client.model.Message;
import org.openapitools.client.model.StoryContext;
import org.openapitools.client.model.StoryContextMessage;
import org.openapitools.client.model.StoryContextMessageTypes;

/** Publishes a message, pulls it and acknowledges it, with a Java client of OpenAPI Generator. */
public final class PublishAndPull {
  private static ApiClient session(String origin, JsonObject client) throws Exception {
    String token = new TokensApi(Session.at(origin))
        .token("client_credentials", client.get("client_id").getAsString(), client.get("client_secret").getAsString(), null)
        .getAccessToken();
    return Session.withToken(origin, token);
  }

  public static void main(String[] arguments) throws Exception {
    JsonObject given = JsonParser.parseString(System.getenv("GIVEN")).getAsJsonObject();
    String origin = given.get("origin").getAsString();
    String workspace = given.get("workspace").getAsString();
    JsonObject message = given.getAsJsonObject("message");
    OffsetDateTime now = OffsetDateTime.parse("2026-05-04T09:00:00Z");

    StoryContextMessage story = new StoryContextMessage()
        .somVersion("1.0.0")
        .messageId(UUID.fromString(message.get("message_id").getAsString()))
        .correlationId(UUID.fromString(message.get("correlation_id").getAsString()))
        .messageType(StoryContextMessageTypes.STORY_CONTEXT)
        .timestamp(now)
        .originatingSystem(new EnvelopeSystem()
            .systemId(given.getAsJsonObject("producer").get("system_id").getAsString())
            .systemType(EnvelopeSystem.SystemTypeEnum.NCS))
        .topic("som.story")
        .payload(new StoryContext()
            .storyId(message.get("story_id").getAsString())
            .slug("HARBOUR-FIRE")
            .headline("Fire in the harbour")
            .storyType(StoryContext.StoryTypeEnum.PLANNED)
            .sequenceNumber(1)
            .updatedAt(now)
            .extensions(Map.of("com.example.desk", Map.of("row", 1))));

    var published = new PublishingApi(session(origin, given.getAsJsonObject("producer"))).publish(workspace, new Message(story));
    String connection = given.getAsJsonObject("consumer").get("client_id").getAsString();
    ConsumingApi consuming = new ConsumingApi(session(origin, given.getAsJsonObject("consumer")));
    var record = consuming.pull(workspace, connection, 1, 10, null, null).getMessages().get(0);
    var settled = consuming.ack(workspace, connection, new AckRequest().receiptHandles(List.of(record.getReceiptHandle())));

    System.out.println(new Gson().toJson(Map.of(
        "accepted", published.getAccepted(),
        "family", published.getFamily(),
        "pulled", record.getMessageId(),
        "acknowledged", settled.getOk().size())));
  }
}
