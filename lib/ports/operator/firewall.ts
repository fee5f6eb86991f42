/** A request that a rule of the firewall matched: who sent what, and never its headers or body. */
export interface FirewallHit {
  readonly at: Date;
  readonly rule: string;
  readonly action: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
}

/** What the firewall of an environment does now. Only on AWS. */
export interface Firewall {
  /** The addresses that a rate rule refuses at this moment. */
  blocked(): Promise<readonly { readonly rule: string; readonly address: string }[]>;
  /** A sample of what rules matched between two times, newest first; the firewall remembers three hours. */
  sampled(from: Date, to: Date): Promise<readonly FirewallHit[]>;
}
