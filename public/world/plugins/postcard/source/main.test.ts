import { expect, test } from 'sausage/test';
import { frame } from './frame.ts';

test('the frame is as long as the words', () => {
  expect(frame('Hi')).toBe('╭────╮\n│ Hi │\n╰────╯');
});
