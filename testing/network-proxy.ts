import { type AddressInfo, createServer, connect as openConnection, type Socket } from 'node:net'

/** A way to a server that can fail as networks do. */
export interface NetworkProxy extends AsyncDisposable {
  readonly url: string
  /** Connections that were opened so far. */
  readonly accepted: number
  /** From now on nothing gets through in either direction, and nobody is told: it waits, as lost packets do that are sent again. */
  swallow(): void
  /** From now on connections are broken and refused. */
  cut(): void
  /** The network is back. */
  restore(): void
}

/** Stands on the loopback before the server of this address. */
export async function startNetworkProxy(target: string): Promise<NetworkProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let state: 'open' | 'swallowing' | 'cut' = 'open'
  let accepted = 0

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }

  function lead(near: Socket): void {
    if (near.destroyed) return
    const far = openConnection({ host: hostname, port: Number(port) })
    keep(far)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => {
        if (!to.destroyed) to.write(bytes)
      })
      from.on('end', () => to.end())
      from.on('close', () => to.destroy())
    }
  }

  const server = createServer((near) => {
    accepted += 1
    keep(near)
    if (state === 'cut') near.destroy()
    else if (state === 'swallowing') {
      near.pause()
      held.push(() => {
        lead(near)
        near.resume()
      })
    } else lead(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get accepted() {
      return accepted
    },
    swallow() {
      state = 'swallowing'
      for (const socket of sockets) socket.pause()
    },
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.resetAndDestroy()
    },
    restore() {
      state = 'open'
      for (const socket of sockets) socket.resume()
      for (const go of held.splice(0)) go()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
