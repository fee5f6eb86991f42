/**
 * What a route may use: the name of a port and, after a dot, the kind of access to it. Each entry is one grant in
 * `lib/infra/port-grants.ts` (the AWS actions that this access needs, and no others) and one part of the port's methods in
 * `lib/wiring/function.ts`. A row lists the least that its route needs; several entries of one port add up. Ports without a dot
 * use nothing of AWS.
 */
export type PortAccess =
  | 'clock'
  | 'ids'
  /** The version of the package. */
  | 'busVersion'
  | 'metrics'
  /** One connection by its id. */
  | 'registry.connection'
  /** The consumers of a workspace. */
  | 'registry.consumers'
  /** The cloud roles that are registered in a workspace or by the operator. */
  | 'registry.roles'
  /** Identity providers and the clients bound to them. */
  | 'registry.providers'
  /** Which connections are under test. */
  | 'marks'
  /** What belongs to a run of checks, and what it wants to go wrong. */
  | 'testRuns.ask'
  /** Tells a run of checks what it sees. */
  | 'testRuns.note'
  /** Drives the runs of checks. */
  | 'checkRuns.drive'
  | 'checkRuns.start'
  /** The runs of a connection. */
  | 'checkRuns.list'
  /** A run, and what it saw. */
  | 'checkRuns.read'
  | 'checkRuns.stop'
  | 'skills.read'
  /** Registers, replaces, pauses and ends skill instances. */
  | 'skills.change'
  | 'principals.verify'
  | 'queueReaders.set'
  | 'credentials.check'
  /** Counts a client's token requests. */
  | 'tokenRequests.count'
  /** The public keys that verify access tokens. */
  | 'signer.keys'
  | 'signer.sign'
  | 'ledger.read'
  | 'ledger.commit'
  | 'log.read'
  /** Leases, and what became of entries. */
  | 'log.update'
  | 'queues.send'
  | 'inbox.receive'
  | 'inbox.delete'
  | 'inbox.release'
  | 'receipts.save'
  | 'receipts.find'
  /** Acks and nacks of what was found. */
  | 'receipts.settle'
  /** A connection's places for waiting polls. */
  | 'polls.wait'
  /** Records receives, how they ended, and replays. */
  | 'recorder.receives'
  /** Records refused and repeated publishes, and counts them. */
  | 'recorder.attempts'
  /** Records refused token requests, and counts them. */
  | 'recorder.tokens'
  /** What is recorded about a message. */
  | 'history.message'
  /** What happened in a workspace. */
  | 'history.feed'
  /** What a consumer cannot receive now. */
  | 'history.inFlight'
  /** What was counted per connection; it sums up days that are over. */
  | 'counts.read'
  /** What became of one accepted message. */
  | 'acceptances.find'
  /** How many messages a queue holds. */
  | 'depths.read'
  /** The end of the archive. */
  | 'archiveTail.read'
  | 'sessions.use'
  /** Begins and ends sessions. */
  | 'sessions.start'
  /** Signs people in. */
  | 'provider'
  /** Where a person belongs. */
  | 'members.affiliation'
  /** The members of an organisation. */
  | 'members.list'
  /** The vendors in a workspace. */
  | 'members.vendors'
  | 'members.add'
  /** Other roles for members, and their removal. */
  | 'members.change'
  /** One organisation, workspace or app by its id. */
  | 'directory.find'
  | 'directory.list'
  /** Finds and adds apps. */
  | 'directory.apps'
  | 'directory.request'
  /** Approves, declines, suspends and resumes organisations. */
  | 'directory.decide'
  /** Ends an organisation, with its workspaces and apps. */
  | 'directory.close'
  /** The quota of an organisation's connections. */
  | 'directory.allot'
  | 'invitations.make'
  | 'invitations.accept'
  /** The open ones of an organisation, and their withdrawal. */
  | 'invitations.withdraw'
  /** What a vendor was invited for. */
  | 'invitations.guest'
  /** The end of a vendor's place. */
  | 'invitations.end'
  /** The connections in a workspace. */
  | 'connections.list'
  /** The connections of an app. */
  | 'connections.ofApp'
  | 'connections.suspend'
  /** The quota of one connection. */
  | 'connections.allot'
  /** One connection by its id, with what is kept of its secrets. */
  | 'connections.find'
  | 'connections.add'
  /** Whose the system_ids of a workspace are. */
  | 'connections.claims'
  /** The messages that a consumer skips. */
  | 'connections.skip'
  /** Permissions, secrets and states of connections. */
  | 'connections.change'
  /** Says who reads the queues of consumers. */
  | 'queueAdmin.guard'
  /** Creates and deletes the queues of consumers, and says who reads them. */
  | 'queueAdmin.manage'
  /** The keys and quotas of connections at the gateway. */
  | 'usagePlans.manage'
  | 'principals.list'
  | 'principals.put'
  | 'identityProviders.list'
  | 'identityProviders.change'
  | 'changes.note'
  | 'changes.read'
  | 'backlog.read'
  | 'archive.read'
  | 'replays.run'
  /** Starts, finds and cancels replays. */
  | 'replays.start'
  | 'replayList.read'
  /** How long the archive keeps messages. */
  | 'archiveDays'
  /** The consumers of the environment. */
  | 'consumers.list'
  /** How long queues have held their oldest messages. */
  | 'queueAges.measure'
  | 'ageReport';

/** The port of an access. */
export type PortOf<A extends PortAccess> = A extends `${infer Port}.${string}` ? Port : A;
