import { liveLines } from '../../../cli/watch/run-finish';

test('a title that is live in two channels is listed with each of them', () => {
  const video = (name: string, channel: string, url: string) => ({ name, channel, url });
  const both = [
    video('One', 'Garden · short', 'https://a.example/1'),
    video('One', 'Garden · long', 'https://b.example/1'),
  ];
  expect(liveLines([...both, video('Two', 'Garden · long', 'https://b.example/2')])).toEqual([
    '  One (Garden · short): https://a.example/1',
    '  One (Garden · long): https://b.example/1',
    '  Two: https://b.example/2',
  ]);
});
