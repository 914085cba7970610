import { type AddressInfo, createServer, connect as openConnection, type Socket } from 'node:net'

/** A proxy to a server that can fail like a network. */
export interface NetworkProxy extends AsyncDisposable {
  readonly url: string
  /** Total number of opened connections. */
  readonly accepted: number
  /** Silently holds all data in both directions, as if packets were lost and resent. */
  pauseTraffic(): void
  /** Breaks all connections and rejects new ones. */
  disconnect(): void
  /** Restores the network. */
  restore(): void
}

/** Starts a loopback proxy for the server at an address. */
export async function startNetworkProxy(target: string): Promise<NetworkProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const queuedConnections: (() => void)[] = []
  let state: 'open' | 'paused' | 'disconnected' = 'open'
  let accepted = 0

  function track(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }

  function forward(downstream: Socket): void {
    if (downstream.destroyed) return
    const upstream = openConnection({ host: hostname, port: Number(port) })
    track(upstream)
    for (const [from, to] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      from.on('data', (bytes) => {
        if (!to.destroyed) to.write(bytes)
      })
      from.on('end', () => to.end())
      from.on('close', () => to.destroy())
    }
  }

  const server = createServer((downstream) => {
    accepted += 1
    track(downstream)
    if (state === 'disconnected') downstream.destroy()
    else if (state === 'paused') {
      downstream.pause()
      queuedConnections.push(() => {
        forward(downstream)
        downstream.resume()
      })
    } else forward(downstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get accepted() {
      return accepted
    },
    pauseTraffic() {
      state = 'paused'
      for (const socket of sockets) socket.pause()
    },
    disconnect() {
      state = 'disconnected'
      for (const socket of sockets) socket.resetAndDestroy()
    },
    restore() {
      state = 'open'
      for (const socket of sockets) socket.resume()
      for (const forwardConnection of queuedConnections.splice(0)) forwardConnection()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
