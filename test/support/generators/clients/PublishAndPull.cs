using System;
using System.Collections.Generic;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Model;

/// <summary>Publishes a message, pulls it and acknowledges it, with a C# client of OpenAPI Generator.</summary>
public static class PublishAndPull
{
    private static Configuration Session(string origin, JToken client)
    {
        var anonymous = new Configuration { BasePath = origin };
        var issued = new TokensApi(anonymous).Token("client_credentials", (string)client["client_id"], (string)client["client_secret"]);
        return new Configuration { BasePath = origin, AccessToken = issued.AccessToken };
    }

    private static StoryContextMessage Story(JObject given)
    {
        var now = new DateTime(2026, 5, 4, 9, 0, 0, DateTimeKind.Utc);
        return new StoryContextMessage(
            somVersion: "1.0.0",
            messageId: Guid.Parse((string)given["message"]["message_id"]),
            correlationId: Guid.Parse((string)given["message"]["correlation_id"]),
            messageType: StoryContextMessageTypes.StoryContext,
            timestamp: now,
            originatingSystem: new EnvelopeSystem((string)given["producer"]["system_id"], EnvelopeSystem.SystemTypeEnum.Ncs),
            topic: "som.story",
            payload: new StoryContext(
                storyId: (string)given["message"]["story_id"],
                slug: "HARBOUR-FIRE",
                headline: "Fire in the harbour",
                storyType: StoryContext.StoryTypeEnum.PLANNED,
                sequenceNumber: 1,
                updatedAt: now,
                extensions: new Dictionary<string, object> { ["com.example.desk"] = new Dictionary<string, object> { ["row"] = 1 } }));
    }

    public static void Main()
    {
        var given = JObject.Parse(Environment.GetEnvironmentVariable("GIVEN"));
        var origin = (string)given["origin"];
        var workspace = (string)given["workspace"];

        var published = new PublishingApi(Session(origin, given["producer"])).Publish(workspace, new Message(Story(given)));
        var connection = (string)given["consumer"]["client_id"];
        var consuming = new ConsumingApi(Session(origin, given["consumer"]));
        var record = consuming.Pull(workspace, connection, max: 1, wait: 10).Messages[0];
        var settled = consuming.Ack(workspace, connection, new AckRequest(new List<string> { record.ReceiptHandle }));

        Console.WriteLine(JsonConvert.SerializeObject(new Dictionary<string, object>
        {
            ["accepted"] = published.Accepted,
            ["family"] = published.Family,
            ["pulled"] = record.MessageId,
            ["acknowledged"] = settled.Ok.Count,
        }));
    }
}
