import { posix } from 'node:path'
import { maskSource } from './source-text.ts'

/** An import, re-export, dynamic import or file URL in a source file. */
export interface Import {
  readonly from: string
  /** Repository path of our own files, otherwise the specifier (`zod`, `node:fs`). */
  readonly to: string
  /** Whether the import is erased at run time. */
  readonly typeOnly: boolean
}

const FROM = /\b(import|export)\s+(type\s)?([^'"`;=()]*?)\bfrom\s*['"]([^'"]+)['"]/g
const BARE_OR_DYNAMIC = /(?<![\w/])import\s*\(?\s*['"]([^'"]+)['"]/g
const FILE_URL = /\bnew\s+URL\(\s*['"](\.[^'"]+)['"]\s*,\s*import\.meta\.url/g

/** Returns the imports of a file. `path` is relative to the repository, with forward slashes. */
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

/** Whether every name is a type, as in `{ type A, type B }`. */
function namesOnlyTypes(names: string): boolean {
  const list =
    /^\s*\{([^}]*)\}\s*$/
      .exec(names)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '') ?? []
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name))
}

/** Resolves relative paths and our own packages to repository paths. */
function resolveSpecifier(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  const own = /^@parley\/([\w-]+)(?:\/(.+))?$/.exec(specifier)
  if (!own) return specifier
  const [, name = '', file = 'index'] = own
  return `packages/${name}/src/${file === 'testing' ? 'testing/index' : file}.ts`
}
