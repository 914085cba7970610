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
  /** Stands for the content of all of them. */
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
const OWN_FILE = /(\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g

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
    hash.update(`${name}\n${source.length}\n${source}`)
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream'
    if (extname(name) === '.ts') files.set(name.replace(/\.ts$/, '.js'), { contentType, body: toJavaScript(source) })
    else files.set(name, { contentType, body: source })
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
