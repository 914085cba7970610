import type { Server } from 'node:http'
import type { Clock } from '@parley/engine/ports'
import type { CallerAdmission, ListenerAdmission, LiveCallHost } from '../features/calls/public.ts'
import { createListenableCalls } from '../media/listening/listenable-calls.ts'
import { createClientAddress, createUpgradeTable } from '../media/upgrades/upgrade-table.ts'
import { createWebEndpoint } from '../media/web/web-endpoint.ts'

export interface MediaOptions {
  /** Of the HTTP interface: WebSockets share its port. */
  readonly server: Server
  readonly host: LiveCallHost
  readonly admissions: { readonly callers: CallerAdmission; readonly listeners: ListenerAdmission }
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Text of letters and digits that nobody can guess. */
  readonly makeSecret: () => string
  readonly trustProxy: boolean | string
}

/** Everything that brings callers. */
export interface ConnectedMedia {
  /** Frames that connections did not take since the start. */
  readonly droppedFrames: number
  /** Takes nobody any more, waits until all calls are over, at most `deadlineMs`, and ends those that are not. */
  stop(deadlineMs: number): Promise<void>
}

/** Lets callers in: each kind of leg is a route of the table of upgrades. */
export function connectMedia(options: MediaOptions): ConnectedMedia {
  const { server, host, admissions, clock, logError, makeSecret, trustProxy } = options
  const calls = createListenableCalls(host, clock)
  const web = createWebEndpoint({ calls, ...admissions, clock, logError, makeSecret })
  const addressOf = createClientAddress(trustProxy)
  const upgrades = createUpgradeTable({ server, routes: [web], clock, logError, addressOf })
  return {
    get droppedFrames() {
      return web.droppedFrames
    },
    async stop(deadlineMs) {
      await upgrades.drain(deadlineMs)
      // The calls before their legs: their record says the same as callers are told.
      host.endAll()
      await upgrades.close()
    },
  }
}
