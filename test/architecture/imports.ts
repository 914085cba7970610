import { posix } from 'node:path'
import { maskSource } from './source-text.ts'

/** One import, re-export, dynamic import or worker file of a source. */
export interface Import {
  readonly from: string
  /** A path in the repository for our own files, else the specifier as written (`zod`, `node:fs`). */
  readonly to: string
  /** Leaves no trace at run time. */
  readonly typeOnly: boolean
}

const FROM = /\b(import|export)\s+(type\s)?([^'"`;=()]*?)\bfrom\s*['"]([^'"]+)['"]/g
const BARE_OR_DYNAMIC = /(?<![\w/])import\s*\(?\s*['"]([^'"]+)['"]/g
const FILE_URL = /\bnew\s+URL\(\s*['"](\.[^'"]+)['"]\s*,\s*import\.meta\.url/g

/** Finds everything that a file pulls in. `path` is relative to the repository, with forward slashes. */
export function importsOf(path: string, source: string): Import[] {
  const code = maskSource(source, { strings: false })
  const found: Import[] = []
  const add = (specifier: string, typeOnly: boolean): void => {
    found.push({ from: path, to: resolveSpecifier(path, specifier), typeOnly })
  }
  for (const [, , type, names = '', specifier = ''] of code.matchAll(FROM)) {
    add(specifier, type !== undefined || namesOnlyTypes(names))
  }
  for (const [, specifier = ''] of code.matchAll(BARE_OR_DYNAMIC)) add(specifier, false)
  for (const [, specifier = ''] of code.matchAll(FILE_URL)) add(specifier, false)
  return found
}

/** `{ type A, type B }`: types only, although the statement does not say so. */
function namesOnlyTypes(names: string): boolean {
  const list =
    /^\s*\{([^}]*)\}\s*$/
      .exec(names)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '') ?? []
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name))
}

/** Our own packages and relative paths become paths in the repository, so that one set of rules serves both. */
function resolveSpecifier(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  const own = /^@parley\/([\w-]+)(?:\/(.+))?$/.exec(specifier)
  if (!own) return specifier
  const [, name = '', file = 'index'] = own
  return `packages/${name}/src/${file === 'testing' ? 'testing/index' : file}.ts`
}
