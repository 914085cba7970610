import type * as Sdk from '@parley/sdk'
import { Problem } from './api/problem.ts'

/** The web-call client, which the server serves and which is not part of the build. */
export type BrowserCallClient = typeof Sdk

const ADDRESS = '/sdk/index.js'

/** Throws a `Problem`. */
export async function loadBrowserCall(): Promise<BrowserCallClient> {
  try {
    return (await import(/* @vite-ignore */ ADDRESS)) as BrowserCallClient
  } catch {
    throw new Problem('The server is unreachable.', { code: 'offline' })
  }
}
