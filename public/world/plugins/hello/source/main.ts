import { method, serve, t } from 'sausage';

serve({
  methods: {
    greet: method({
      params: t.object({ name: t.string() }),
      result: t.string(),
      run: ({ name }) => `Hello, ${name}!`,
    }),
  },
});
