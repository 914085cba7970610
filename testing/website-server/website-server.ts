import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from '../tool-server/tool-reply.ts'

/** A request received by the website. */
export interface PageRequest {
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** A page with an `ETag` and a date. Clients with a current copy get status 304. */
export interface ValidatedPage {
  readonly kind: 'validated'
  readonly body: string
  readonly etag: string
  readonly lastModified: string
}

/** A page that is sent when `until` resolves. */
export interface DelayedPage {
  readonly kind: 'held'
  readonly body: string
  readonly until: Promise<void>
}

export type PageReply = ToolReply | ValidatedPage | DelayedPage

/** A website on the loopback interface with configurable content for each path. */
export interface Website extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** All received requests, in order of arrival. */
  readonly requests: readonly PageRequest[]
  /** Requested paths, without robots.txt. */
  readonly paths: readonly string[]
  /** Sets the content of a path. All other paths respond with 404, including robots.txt. */
  put(path: string, reply: PageReply): void
  putHtml(path: string, html: string): void
  putText(path: string, text: string, contentType?: string): void
  /** Resolves when `count` requests have arrived. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** Starts a website without pages on a free loopback port. */
export async function startWebsite(): Promise<Website> {
  const requests: PageRequest[] = []
  const pages = new Map<string, PageReply>()
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>()

  const handleRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? ''
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')])
    requests.push({ path, headers: Object.fromEntries(headers) })
    for (const watcher of watchers) {
      if (requests.length < watcher.count) continue
      watchers.delete(watcher)
      watcher.resolve()
    }
    const reply = pages.get(path) ?? { kind: 'html', status: 404 }
    if (reply.kind === 'validated') writeValidated(request, response, reply)
    else if (reply.kind === 'held') void reply.until.then(() => response.writeHead(200, HTML).end(reply.body))
    else writeReply(response, reply)
  }
  const server = createServer(handleRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const putText = (path: string, body: string, contentType = 'text/plain; charset=utf-8'): void =>
    void pages.set(path, { kind: 'raw', body, contentType })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get paths() {
      return requests.map(({ path }) => path).filter((path) => path !== '/robots.txt')
    },
    put: (path, reply) => void pages.set(path, reply),
    putHtml: (path, html) => putText(path, html, HTML['content-type']),
    putText,
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve()
        else watchers.add({ count, resolve })
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function writeValidated({ headers }: IncomingMessage, response: ServerResponse, page: ValidatedPage): void {
  const { etag, lastModified } = page
  const isUnchanged =
    headers['if-none-match'] === undefined
      ? headers['if-modified-since'] === lastModified
      : headers['if-none-match'] === etag
  const validators = { etag, 'last-modified': lastModified }
  if (isUnchanged) response.writeHead(304, validators).end()
  else response.writeHead(200, { ...HTML, ...validators }).end(page.body)
}
