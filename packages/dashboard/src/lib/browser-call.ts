import type * as Sdk from '@parley/sdk'
import { Problem } from './api/problem.ts'

/** The client for calls in a browser, as every server serves it to any page: it is no part of the build. */
export type BrowserCallClient = typeof Sdk

const ADDRESS = '/sdk/index.js'

/** Loads the client from the server that this page is of. Throws a `Problem`. */
export async function loadBrowserCall(): Promise<BrowserCallClient> {
  try {
    return (await import(/* @vite-ignore */ ADDRESS)) as BrowserCallClient
  } catch {
    throw new Problem('The server is unreachable.', { code: 'offline' })
  }
}
