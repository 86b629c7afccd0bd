/** The few types of the peer that the bench uses; the package has none. */

declare module '@mercuryworkshop/wisp-js/client' {
  interface Connection {
    onopen: () => void;
    onerror: () => void;
    create_stream(
      host: string,
      port: number,
    ): {
      onmessage: (bytes: Uint8Array) => void;
      send(bytes: Uint8Array): void;
      close(): void;
    };
  }
  export const client: { ClientConnection: new (url: string) => Connection };
}

declare module '@mercuryworkshop/wisp-js/server' {
  export const server: {
    options: { allow_loopback_ips: boolean; allow_private_ips: boolean };
    routeRequest(request: unknown, socket: unknown, head: unknown): void;
  };
  export const logging: { set_level(level: number): void; NONE: number };
}
