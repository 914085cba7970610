import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'

/** A file as browsers get it. */
export interface BrowserFile {
  readonly contentType: string
  readonly body: string
}

/** Files of a folder of browser code. */
export interface BrowserModules {
  /** Stands for all of them as they are served. */
  readonly hash: string
  /** By their paths below the folder, with `.js` in the place of `.ts`. */
  readonly files: ReadonlyMap<string, BrowserFile>
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const HASH_CHARACTERS = 16

/** What names another file of ours: imports, re-exports and addresses beside the file. */
const OWN_FILE = /(\bfrom\s*|\bimport\s*(?:\(\s*)?|\bnew URL\(\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g

/**
 * Reads a folder of browser code and takes the types out of it: there is no build. The code must import nothing that is not in
 * the folder.
 */
export async function loadBrowserModules(folder: string): Promise<BrowserModules> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'))
  const files = new Map<string, BrowserFile>()
  const hash = createHash('sha256')
  for (const name of names.filter(isServed).sort()) {
    // One file after another: other requests are answered in between.
    const source = await readFile(join(folder, name), 'utf8')
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream'
    const path = name.replace(/\.ts$/, '.js')
    const body = path === name ? source : toJavaScript(source)
    // Of what is served: that also depends on what takes the types out.
    hash.update(`${path}\n${body.length}\n${body}`)
    files.set(path, { contentType, body })
  }
  return { hash: hash.digest('hex').slice(0, HASH_CHARACTERS), files }
}

function isServed(name: string): boolean {
  return extname(name) in CONTENT_TYPES && !/\.test\.ts$|-test-kit\.ts$/.test(name)
}

/** What a browser runs of a source whose types can be stripped. */
export function toJavaScript(source: string): string {
  return stripTypeScriptTypes(source).replace(OWN_FILE, '$1$2$3.js$2')
}
