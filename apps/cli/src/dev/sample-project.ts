/** The project `sample` of tenant `demo`: something to look at before the first delegation. */
export const sampleProject = {
  master: {
    tasks: [
      task(
        1,
        'Choose a payment provider',
        'Compare three providers on fees, payout time and supported countries.',
        'done',
        'high',
        [],
      ),
      task(
        2,
        'Model orders and refunds',
        'Tables and invariants for orders, order lines, payments and refunds.',
        'in-progress',
        'high',
        [1],
      ),
      task(
        3,
        'Build the checkout page',
        'Address, shipping, payment and confirmation in one page that works without a mouse.',
        'pending',
        'medium',
        [2],
      ),
      task(
        4,
        'Send order e-mails',
        'Confirmation, shipping and refund messages in the language of the customer.',
        'pending',
        'low',
        [2],
      ),
    ],
    metadata: { description: 'A sample project of Baton: a small web shop' },
  },
};

function task(
  id: number,
  title: string,
  description: string,
  status: string,
  priority: string,
  dependencies: number[],
) {
  return {
    id,
    title,
    description,
    details: '',
    testStrategy: '',
    status,
    priority,
    dependencies,
    subtasks: [],
  };
}
