// A test that returns early, or loops over nothing, asserts nothing: it fails.
beforeEach(() => expect.hasAssertions());
