import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a node and its server that tests can break. */
export interface FaultyProxy extends AsyncDisposable {
  /** URL of the server through the proxy. */
  readonly url: string
  /** Breaks all existing and new connections. */
  cut(): void
  /** Drops all traffic without closing connections, like an unplugged cable. */
  silence(): void
  /** Lets new connections through again. */
  restore(): void
}

/** Starts a proxy to the server at the URL. */
export async function startFaultyProxy(url: string): Promise<FaultyProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let state: 'up' | 'cut' | 'silent' = 'up'

  function trackSocket(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((clientSocket) => {
    trackSocket(clientSocket)
    if (state === 'cut') clientSocket.destroy()
    if (state !== 'up') return
    const serverSocket = connect(Number(target.port), target.hostname)
    trackSocket(serverSocket)
    clientSocket.pipe(serverSocket).pipe(clientSocket)
    clientSocket.on('close', () => serverSocket.destroy())
    serverSocket.on('close', () => clientSocket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxyUrl = new URL(url)
  proxyUrl.port = String((server.address() as AddressInfo).port)

  return {
    url: proxyUrl.href,
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    silence() {
      state = 'silent'
      for (const socket of sockets) socket.unpipe().pause()
    },
    restore() {
      state = 'up'
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
