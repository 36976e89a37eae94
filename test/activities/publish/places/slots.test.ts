import { Slots } from '../../../../activities/publish/places/slots';

describe('slots', () => {
  it('go by turns: a small channel is done long before a huge one that asked first', async () => {
    const slots = new Slots(2);
    const order: string[] = [];
    let open = 0;
    let most = 0;
    const use = (lane: string) =>
      slots.use(async () => {
        most = Math.max(most, (open += 1));
        await new Promise((resolve) => setImmediate(resolve));
        order.push(lane);
        open -= 1;
      }, lane);
    await Promise.all([...Array<string>(500).fill('huge'), ...Array<string>(5).fill('small')].map(use));
    expect(order).toHaveLength(505);
    expect(most).toBe(2);
    // Two were taken at once; from then on every second one is the small channel's.
    expect(order.lastIndexOf('small')).toBeLessThan(15);
  });

  it('are given back when the work fails', async () => {
    const slots = new Slots(1);
    await expect(slots.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(slots.use(async () => 'yes')).resolves.toBe('yes');
  });
});
