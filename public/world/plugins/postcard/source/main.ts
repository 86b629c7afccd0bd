import * as hello from 'imports/hello';
import { method, serve, t } from 'sausage';
import { frame } from './frame.ts';

serve({
  title: 'Postcards, with words by hello',
  methods: {
    write: method({
      description: 'Writes a postcard for somebody.',
      params: t.object({ to: t.string({ description: 'who gets it' }) }),
      result: t.string(),
      run: async ({ to }) => frame(await hello.greet({ name: to })),
    }),
  },
});
