/** The answers of servers, without `Response` and web streams, whose cost for each request is larger than that of the rest. */

/** The body of an answer. */
export type Bytes = {
  /** Resolves to the next bytes, or to undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the connection. */
  cancel(reason?: unknown): void;
};

/** The names of the headers are in lower case. */
export type Answer = { status: number; headers: ReadonlyMap<string, string>; body: Bytes | undefined };

/** The statuses whose responses have no body, as the constructor of `Response` requires. */
export const WITHOUT_BODY = [204, 205, 304];

/** Sends a request like `fetch`. */
export type Send = (url: string, init: RequestInit) => Promise<Answer>;

export function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

export function fromResponse({ status, headers, body }: Response): Answer {
  const reader = body?.getReader();
  const bytes: Bytes | undefined = reader && {
    read: async () => (await reader.read()).value,
    cancel: (reason) => void reader.cancel(reason).catch(() => undefined),
  };
  return { status, headers: new Map(headers), body: bytes };
}

/** Returns an answer whose body was read. */
export function withText(answer: Answer, text: string): Answer {
  let rest: Uint8Array | undefined = text === '' ? undefined : new TextEncoder().encode(text);
  const body: Bytes = {
    read() {
      const bytes = rest;
      rest = undefined;
      return Promise.resolve(bytes);
    },
    cancel: () => undefined,
  };
  return { ...answer, body };
}

/** Converts a function that sends requests to a `fetch` for an SDK. */
export function asFetch(send: Send): typeof fetch {
  return async (input, init = {}) => {
    const { status, headers, body } = await send(String(input), init);
    try {
      return new Response(body && !WITHOUT_BODY.includes(status) ? streamOf(body) : null, { status, headers: [...headers] });
    } catch (error) {
      body?.cancel(error);
      throw error;
    }
  };
}

function streamOf(body: Bytes): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await body.read();
        if (bytes) controller.enqueue(bytes);
        else controller.close();
      },
      cancel: (reason) => body.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Returns the body of an answer that was read. */
export async function wholeText({ body }: Answer): Promise<string> {
  const bytes = await body?.read();
  return bytes ? new TextDecoder().decode(bytes) : '';
}
