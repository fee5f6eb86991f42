/** The account and region that everything local is in: its queue URLs and ARNs name them. */
export const localPlace = { account: '000000000000', region: 'us-east-1' } as const;
