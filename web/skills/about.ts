/** What each skill does, for whoever has not read the library. */
export const skillWords: Readonly<Record<string, string>> = {
  'apply-clearance':
    'Waits until somebody clears one version of an asset, and then says which version is current. ' +
    'The other versions of the same set are said to be superseded.',
  'enrich-on-condition':
    'Asks for an enrichment, such as a transcript, when a field has the value that you name. ' +
    'It never writes to the field that it tests.',
  'flag-on-mismatch':
    'Compares a field of the story with the copies that are bound to it. ' +
    'It warns when a copy has fallen behind.',
  'gate-by-scope':
    'Looks whether the gate of a destination permits a telling there. ' +
    'It holds the telling until that gate lets it through.',
  'hold-while-flagged':
    'Holds one action, such as publishing, while a gate of the story or link is not cleared. ' +
    'Your own rule says what lifts the hold.',
  'match-and-propose':
    'Compares new media with the stories that are active. ' +
    'It proposes the matches that are sure enough, and a person decides.',
  'raise-flag-on-match':
    'Raises a flag when a field of the story has exactly the value that you name. ' +
    'Somebody with the authority that you choose takes the flag down.',
  'record-provenance-on-ingest':
    'Looks whether each new source or asset comes with a record of where it is from. ' +
    'A new source starts with the credibility that you give its class.',
  'select-provider-by-context':
    'Picks the provider of a service by a value in the story. ' +
    'Where no row of your map fits, it picks the default one.',
  'surface-on-context-match':
    'Watches one source, and shows the items that are like a field of the story. ' +
    'What it shows is a suggestion, never something verified.',
};
