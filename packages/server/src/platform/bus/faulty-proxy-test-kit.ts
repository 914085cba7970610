import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What lies between one node and its server, for tests that damage it. */
export interface FaultyProxy extends AsyncDisposable {
  /** Leads to the server by way of the cable. */
  readonly url: string
  /** Breaks all connections, and each new one. */
  cut(): void
  /** Nothing goes through any more, and nobody is told: as when a plug is pulled. */
  silence(): void
  /** New connections go through again. */
  restore(): void
}

/** Lays one to the server at the URL. */
export async function startFaultyProxy(url: string): Promise<FaultyProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let state: 'well' | 'cut' | 'silent' = 'well'

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((near) => {
    keep(near)
    if (state === 'cut') near.destroy()
    if (state !== 'well') return
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const reached = new URL(url)
  reached.port = String((server.address() as AddressInfo).port)

  return {
    url: reached.href,
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    silence() {
      state = 'silent'
      for (const socket of sockets) socket.unpipe().pause()
    },
    restore() {
      state = 'well'
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
