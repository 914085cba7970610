/** What keys do, by their names: `mod+s` (Ctrl, or ⌘ on a Mac), `mod+enter`, `?`, `/`, `g a` (one after the other). */
export type Hotkeys = Readonly<Record<string, () => void>>

export interface PressedKey {
  readonly name: string
  readonly atMs: number
}

/** The second key of a pair must follow the first within this time. */
const PAIR_MS = 1_500

/**
 * What a key does, given the one before and the keys of all parts of the page, the newest part first. A pair goes before a single
 * key: `g n` is not `n`.
 */
export function chooseHotkey(
  parts: readonly Hotkeys[],
  before: PressedKey | null,
  pressed: PressedKey,
): (() => void) | null {
  const find = (name: string): (() => void) | undefined => parts.find((part) => part[name] !== undefined)?.[name]
  const isPair = before !== null && pressed.atMs - before.atMs < PAIR_MS
  const ofPair = isPair ? find(`${before.name} ${pressed.name}`) : undefined
  return ofPair ?? find(pressed.name) ?? null
}
