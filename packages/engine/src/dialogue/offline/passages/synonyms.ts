import { stemWord } from '../tokenise.ts'
import { everydayWords, generalWords } from './everyday-words.ts'

/** Brings the endings of all four languages off, so that every form of a word need not be listed. */
function rootOf(stem: string): string {
  return stem.length < 6 ? stem : stem.replace(/(?:ungen|ung|en|er|es|em|e|n|a|o|as|os|s)$/, '')
}

/** For each root the numbers of its groups, and of the groups that are special under it. */
interface Groups {
  readonly own: ReadonlyMap<string, readonly number[]>
  readonly special: ReadonlyMap<string, readonly number[]>
}

function readGroups(): Groups {
  const own = new Map<string, number[]>()
  for (const [number, line] of everydayWords.trim().split('\n').entries()) {
    for (const word of line.split(' ')) {
      const root = rootOf(stemWord(word))
      const known = own.get(root)
      if (known === undefined) own.set(root, [number])
      else if (!known.includes(number)) known.push(number)
    }
  }
  const special = new Map<string, readonly number[]>()
  for (const line of generalWords.trim().split('\n')) {
    const [general = '', under = ''] = line.split(' > ')
    const groups = under.split(' ').flatMap((word) => own.get(rootOf(stemWord(word))) ?? [])
    for (const word of general.split(' ')) special.set(rootOf(stemWord(word)), groups)
  }
  return { own, special }
}

/** Read when first asked for, since most processes never need them. */
function whenNeeded<Value>(read: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= read()
    return value
  }
}

const groupsOf = whenNeeded(readGroups)
const none: readonly number[] = []

/** The groups of everyday words that a stem belongs to, as numbers. */
export function synonymGroupsOf(stem: string): readonly number[] {
  return groupsOf().own.get(rootOf(stem)) ?? none
}

/** The groups whose words answer a question for this stem: its own, and those of what is special under it. */
export function answeringGroupsOf(stem: string): readonly number[] {
  const { own, special } = groupsOf()
  const root = rootOf(stem)
  return [...(own.get(root) ?? none), ...(special.get(root) ?? none)]
}
