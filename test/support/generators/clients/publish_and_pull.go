// Publishes a message, pulls it and acknowledges it, with the Go client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
)

type account struct {
	ClientId     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	SystemId     string `json:"system_id"`
}

type given struct {
	Origin, Workspace  string
	Producer, Consumer account
	Message            struct {
		MessageId     uuid.UUID `json:"message_id"`
		CorrelationId uuid.UUID `json:"correlation_id"`
		StoryId       string    `json:"story_id"`
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func session(ctx context.Context, origin string, client account) *ClientWithResponses {
	anonymous := must(NewClientWithResponses(origin))
	issued := must(anonymous.TokenWithFormdataBodyWithResponse(ctx, TokenFormdataRequestBody{
		GrantType:    ClientCredentials,
		ClientId:     &client.ClientId,
		ClientSecret: &client.ClientSecret,
	}))
	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+issued.JSON200.AccessToken)
		return nil
	}
	return must(NewClientWithResponses(origin, WithRequestEditorFn(bearer)))
}

func message(given given) Message {
	now := must(time.Parse(time.RFC3339, "2026-05-04T09:00:00Z"))
	extensions := Extensions{"com.example.desk": map[string]any{"row": 1}}
	story := StoryContextMessage{
		SomVersion:        "1.0.0",
		MessageId:         given.Message.MessageId,
		CorrelationId:     given.Message.CorrelationId,
		MessageType:       StoryContextMessageTypesStoryContext,
		Timestamp:         now,
		OriginatingSystem: EnvelopeSystem{SystemId: given.Producer.SystemId, SystemType: EnvelopeSystemSystemTypeNcs},
		Topic:             "som.story",
		Payload: StoryContext{
			StoryId:        given.Message.StoryId,
			Slug:           "HARBOUR-FIRE",
			Headline:       "Fire in the harbour",
			StoryType:      StoryContextStoryTypePLANNED,
			SequenceNumber: 1,
			UpdatedAt:      now,
			Extensions:     &extensions,
		},
	}
	var message Message
	if err := message.FromStoryContextMessage(story); err != nil {
		panic(err)
	}
	return message
}

func main() {
	ctx := context.Background()
	var given given
	if err := json.Unmarshal([]byte(os.Getenv("GIVEN")), &given); err != nil {
		panic(err)
	}
	producer := session(ctx, given.Origin, given.Producer)
	published := must(producer.PublishWithResponse(ctx, given.Workspace, message(given)))

	consumer := session(ctx, given.Origin, given.Consumer)
	connection, max, wait := given.Consumer.ClientId, 1, 10
	pulled := must(consumer.PullWithResponse(ctx, given.Workspace, connection, &PullParams{Max: &max, Wait: &wait}))
	record := pulled.JSON200.Messages[0]
	handles := AckRequest{ReceiptHandles: []string{record.ReceiptHandle}}
	settled := must(consumer.AckWithResponse(ctx, given.Workspace, connection, handles))

	fmt.Println(string(must(json.Marshal(map[string]any{
		"accepted":     published.JSON202.Accepted,
		"family":       published.JSON202.Family,
		"pulled":       record.MessageId,
		"acknowledged": len(settled.JSON200.Ok),
	}))))
}
