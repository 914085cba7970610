import type { JsonTree } from './json-tree.ts'

/** A place in a JSON text that a path leads to. */
export interface TextPlace {
  /** Characters from the beginning. */
  readonly from: number
  readonly to: number
  /** False when the path leads to something that is not there: the place is that of the last part that is. */
  readonly isExact: boolean
}

/**
 * Where `nodes[2].edges[0].id` stands in a JSON text that was read. A path cannot tell a dot of a name from the one between two
 * names: the longest name that fits counts. Names are also found in another spelling (`globalPrompt` for `global_prompt`), which
 * the API takes for the same.
 */
export function placeInTree(tree: JsonTree, path: string): TextPlace {
  return follow(tree, path, { isRoot: true, nameAt: null })
}

interface Way {
  readonly isRoot: boolean
  /** Where the name stands under which the value is kept. */
  readonly nameAt: { readonly from: number; readonly to: number } | null
}

function follow(tree: JsonTree, rest: string, { isRoot, nameAt }: Way): TextPlace {
  if (rest === '') return { from: tree.from, to: tree.to, isExact: true }
  const lost = { ...(nameAt ?? { from: tree.from, to: tree.from + 1 }), isExact: false }
  if (tree.kind === 'array') {
    const found = /^\[(\d+)\]/.exec(rest)
    const item = tree.items[Number(found?.[1] ?? -1)]
    return item === undefined || found === null
      ? lost
      : follow(item, rest.slice(found[0].length), { isRoot: false, nameAt: null })
  }
  if (tree.kind === 'leaf' || (!isRoot && !rest.startsWith('.'))) return lost
  const name = isRoot ? rest : rest.slice(1)
  const places = fittingMembers(tree.members, name).map(({ member, length }) =>
    follow(member.value, name.slice(length), { isRoot: false, nameAt: member.nameAt }),
  )
  return places.find(({ isExact }) => isExact) ?? places[0] ?? lost
}

interface Named {
  readonly name: string
}

/** Members with whose name a path goes on, the likeliest first: of those of one name the last, which is the one that counts. */
function fittingMembers<Member extends Named>(
  members: readonly Member[],
  path: string,
): { readonly member: Member; readonly length: number }[] {
  const goesOn = (length: number): boolean => length === path.length || path[length] === '.' || path[length] === '['
  const exact = members
    .filter(({ name }) => path.startsWith(name) && goesOn(name.length))
    .map((member) => ({ member, length: member.name.length }))
    .reverse()
    .sort((one, other) => other.length - one.length)
  const spelled = /^[\w-]+/.exec(path)?.[0] ?? ''
  if (spelled === '' || exact.length > 0) return exact
  return members
    .filter(({ name }) => collapse(name) === collapse(spelled) && goesOn(spelled.length))
    .map((member) => ({ member, length: spelled.length }))
    .reverse()
}

const collapse = (name: string): string => name.replace(/[_-]/g, '').toLowerCase()
