import type { Transport } from '@modelcontextprotocol/client';

/** What is seen of the messages that a transport carries. */
export interface TransportObserver {
  /** A message is about to be sent. */
  onSend(message: object): void;
  /** The server told of something. */
  onNotification(method: string): void;
}

/**
 * The same transport, with somebody who sees what passes. An answer to what nobody asked is left out: the
 * client takes the text `5` for the number of a request.
 */
export function observeTransport(inner: Transport, observer: TransportObserver): Transport {
  const asked = new Set<unknown>();
  const outer: Transport = {
    ...(inner.hasPerRequestStream === undefined
      ? {}
      : { hasPerRequestStream: inner.hasPerRequestStream }),
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    start() {
      Object.assign(inner, {
        onclose: () => outer.onclose?.(),
        onerror: (error) => outer.onerror?.(error),
        onmessage: (message, extra) => {
          const isNotification = 'method' in message && !('id' in message);
          if (isNotification) observer.onNotification(message.method);
          if (!('method' in message) && !('id' in message && asked.delete(message.id))) return;
          outer.onmessage?.(message, extra);
        },
      } satisfies Pick<Transport, 'onclose' | 'onerror' | 'onmessage'>);
      return inner.start();
    },
    send(message, options) {
      if ('method' in message && 'id' in message) asked.add(message.id);
      observer.onSend(message);
      return inner.send(message, options);
    },
    close: () => inner.close(),
  };
  return outer;
}
