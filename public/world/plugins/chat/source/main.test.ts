import { mkdir, readText } from 'sausage/fs';
import { expect, invoke, test } from 'sausage/test';
import './main.ts';
import { history, Room } from './room.ts';

test('whoever listens hears each word, and the file gets it once', () => {
  const room = new Room();
  const heard: string[] = [];
  const leave = room.listen(({ text }) => heard.push(text));
  room.say('Ada', 'hello');
  leave();
  room.say('Bob', 'anybody?');
  expect(heard).toEqual(['hello']);
  expect([room.save(), room.save()]).toEqual([2, 0]);
  expect(history().map(({ who }) => who)).toEqual(['Ada', 'Bob']);
});

test('what is said reaches those who listen, over the endpoint', async () => {
  mkdir('/run', { recursive: true });
  await invoke('start', {});
  const listening = invoke('listen', { words: 1 });
  // a word that nobody heard is said again
  let heard = false;
  void listening.then(() => {
    heard = true;
  });
  while (!heard) await invoke('say', { who: 'Ada', text: 'hello' });
  expect(await listening).toBe(1);
});

test('a transcript has every word', async () => {
  const room = new Room();
  for (let i = 0; i < 250; i++) room.say('Ada', `word ${i}`);
  room.save();
  expect(await invoke('transcript', { path: '/transcript.md' })).toBe(250);
  expect(readText('/transcript.md').match(/\*\*Ada\*\*/g)).toHaveLength(250);
});
