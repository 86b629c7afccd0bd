import { describe, expect, it } from 'vitest';
import { parseStartOptions } from '../../../scripts/lib/options.mjs';

describe('the options of npm start', () => {
  it('are port 4321 on this machine alone when nothing is said', () => {
    expect(parseStartOptions([], {})).toEqual({
      port: 4321,
      host: '127.0.0.1',
      tls: undefined,
      build: undefined,
      preview: 'localhost',
      relay: {},
      log: false,
      help: false,
    });
  });

  it('take the port from PORT, and from --port before it', () => {
    expect(parseStartOptions([], { PORT: '5000' }).port).toBe(5000);
    expect(parseStartOptions(['--port', '6000'], { PORT: '5000' }).port).toBe(6000);
    expect(parseStartOptions(['--port=6001'], {}).port).toBe(6001);
  });

  it('take where previews are from PREVIEW_ORIGIN', () => {
    const preview = (value: string) => parseStartOptions([], { PREVIEW_ORIGIN: value }).preview;
    expect([preview('https://*.preview.example'), preview('none'), preview('')]).toEqual([
      'https://*.preview.example',
      undefined,
      'localhost',
    ]);
  });

  it('take a host and the two files of TLS', () => {
    const { host, tls } = parseStartOptions(['--host', '0.0.0.0', '--tls', 'a.pem', 'b.pem'], {});
    expect({ host, tls }).toEqual({ host: '0.0.0.0', tls: { cert: 'a.pem', key: 'b.pem' } });
  });

  it('take what the relay opens and for whom, and the key of tokens from RELAY_SECRET', () => {
    const opens = ['--allow', '127.0.0.1:5432', '--allow=[::1]:80', '--dns', '127.0.0.1:5353'];
    const visitors = ['--origin', 'https://a.example', '--own-address=192.0.2.1', '--trust-proxy', '--log'];
    const { relay, log } = parseStartOptions([...opens, ...visitors], { RELAY_SECRET: 'secret' });
    expect({ relay, log }).toEqual({
      relay: {
        secret: 'secret',
        allow: ['127.0.0.1:5432', '[::1]:80'],
        origins: ['https://a.example'],
        own: ['192.0.2.1'],
        dns: ['127.0.0.1:5353'],
        trustProxy: true,
      },
      log: true,
    });
    expect(parseStartOptions(['--no-relay'], {}).relay).toBe(false);
  });

  it.each([
    [['--allow'], /--allow needs a value/],
    [['--no-relay', '--allow', '127.0.0.1:80'], /--allow is for the relay/],
    [['--port', 'eighty'], /--port must be a number from 0 to 65534, not "eighty"/],
    [['--port', '65535'], /--port must be a number/],
    [['--port'], /--port needs a value/],
    [['--tls', 'a.pem'], /--tls needs a value/],
    [['--tls', 'a.pem', '--port', '1'], /--tls needs a value/],
    [['--verbose'], /There is no option --verbose/],
  ])('refuse %j with a sentence', (args, message) => {
    expect(() => parseStartOptions(args, {})).toThrow(message);
  });

  it('refuse a PORT that is no number', () => {
    expect(() => parseStartOptions([], { PORT: '80a' })).toThrow(/PORT must be a number/);
  });
});
