import './main.ts';
import { expect, invoke, test } from 'sausage/test';

test('greets by name', async () => {
  expect(await invoke('greet', { name: 'Ada' })).toBe('Hello, Ada!');
});

test('insists on a name', async () => {
  await expect(invoke('greet', {})).rejects.toThrow('params.name is missing');
});
