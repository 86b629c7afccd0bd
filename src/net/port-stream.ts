/**
 * A stream of bytes over a message port, piece by piece as the reader asks for them: not every browser lets a stream
 * itself cross between threads.
 */

type ToSender = { type: 'pull' } | { type: 'cancel' };
type ToReceiver = { type: 'data'; bytes: Uint8Array } | { type: 'end' } | { type: 'error'; message: string };

/** Sends a stream to whoever has the other end of the port. The inverse of `receiveStream`. */
export function sendStream(stream: ReadableStream<Uint8Array>, port: MessagePort): void {
  const reader = stream.getReader();
  const tell = (message: ToReceiver, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  const pull = async (): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      if (done) tell({ type: 'end' });
      else {
        // a view of a larger buffer must not take that along
        const bytes = value.byteLength === value.buffer.byteLength ? value : value.slice();
        tell({ type: 'data', bytes }, [bytes.buffer]);
        return;
      }
    } catch (error) {
      tell({ type: 'error', message: error instanceof Error ? error.message : String(error) });
    }
    port.close();
  };
  port.onmessage = ({ data }: MessageEvent<ToSender>) => {
    if (data.type === 'pull') void pull();
    else {
      port.close();
      reader.cancel().catch(() => {});
    }
  };
}

/** The stream that comes over a port. */
export function receiveStream(port: MessagePort): ReadableStream<Uint8Array> {
  const tell = (message: ToSender) => port.postMessage(message);
  let pulled: (() => void) | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        port.onmessage = ({ data }: MessageEvent<ToReceiver>) => {
          if (data.type === 'data') controller.enqueue(data.bytes);
          else if (data.type === 'end') controller.close();
          else controller.error(new Error(data.message));
          if (data.type !== 'data') port.close();
          pulled?.();
        };
      },
      pull() {
        tell({ type: 'pull' });
        return new Promise((resolve) => {
          pulled = resolve;
        });
      },
      cancel() {
        tell({ type: 'cancel' });
        port.close();
      },
    },
    { highWaterMark: 0 },
  );
}
