import { resolve } from 'node:path'
import { ArchiveError } from './archive-error.ts'

/** Where an installation's database is. `place` names it to people, without its password. */
export type Address =
  | { readonly kind: 'postgres'; readonly url: string; readonly place: string }
  | { readonly kind: 'sqlite'; readonly file: string; readonly place: string }

const FORMS = 'postgres://user:password@host:5432/database or sqlite:<path of the file>'

/** Reads an address as given on the command line. */
export function readAddress(text: string): Address {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length)
    if (path !== '') return sqliteAddress(path)
  }
  if (/^postgres(ql)?:\/\//.test(text)) {
    const place = withoutPassword(text)
    if (place !== null) return { kind: 'postgres', url: text, place }
  }
  throw new ArchiveError(`That is not the address of a database: it has to be like ${FORMS}.`)
}

export function sqliteAddress(path: string): Address {
  const file = resolve(path)
  return { kind: 'sqlite', file, place: file }
}

function withoutPassword(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.pathname.length < 2) return null
  url.password = ''
  // Options may hold a password as well.
  url.search = ''
  return url.toString()
}
