import type * as Sdk from '@parley/sdk'
import { Problem } from './api/problem.ts'

/** The web-call client, which the server provides and the build excludes. */
export type BrowserCallClient = typeof Sdk

const SDK_URL = '/sdk/index.js'

/** Loads the web-call client. Throws a `Problem` on failure. */
export async function loadBrowserCall(): Promise<BrowserCallClient> {
  try {
    return (await import(/* @vite-ignore */ SDK_URL)) as BrowserCallClient
  } catch {
    throw new Problem('The server is unreachable.', { code: 'offline' })
  }
}
