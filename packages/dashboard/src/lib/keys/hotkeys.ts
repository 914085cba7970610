import { useEffect, useRef, useState } from 'react'
import { now } from '../clock.ts'

/** Actions by key: `mod+s` (Ctrl, or ⌘ on a Mac), `mod+enter`, `?`, `/`, or `g a` (one key after the other). */
export type Hotkeys = Readonly<Record<string, () => void>>

interface PressedKey {
  readonly name: string
  readonly atMs: number
}

/** Maximum time between the keys of a pair. */
const PAIR_MS = 1_500
/** Maximum time that a requested hotkey waits for its page to load. */
const REQUEST_MS = 10_000

/** Hotkeys of the mounted components, latest first. */
let active: readonly { readonly current: Hotkeys }[] = []
let previous: PressedKey | null = null
let requested: (PressedKey & { readonly pathname: string }) | null = null

/** Finds the action for a key and the key before it. A pair takes precedence over a single key: `g n` is not `n`. */
export function findHotkey(
  components: readonly Hotkeys[],
  before: PressedKey | null,
  pressed: PressedKey,
): (() => void) | null {
  const find = (name: string): (() => void) | undefined => components.find((keys) => keys[name] !== undefined)?.[name]
  const isPair = before !== null && pressed.atMs - before.atMs < PAIR_MS
  return (isPair ? find(`${before.name} ${pressed.name}`) : undefined) ?? find(pressed.name) ?? null
}

function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return
  const pressed = { name: getKeyName(event), atMs: now() }
  if (!pressed.name.startsWith('mod+') && (isTyping(event.target) || isInDialog())) return
  const run = findHotkey(
    active.map(({ current }) => current),
    previous,
    pressed,
  )
  previous = run === null ? pressed : null
  if (run === null) return
  event.preventDefault()
  run()
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  return target.matches('input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select')
}

function isInDialog(): boolean {
  return document.querySelector('[role=dialog][data-state=open], [role=alertdialog][data-state=open]') !== null
}

function getKeyName({ key, metaKey, ctrlKey, shiftKey }: KeyboardEvent): string {
  const name = key === 'Enter' ? 'enter' : key.length === 1 ? key.toLowerCase() : key
  return metaKey || ctrlKey ? `mod+${shiftKey ? 'shift+' : ''}${name}` : name
}

/** Registers hotkeys while a component is mounted. Ignores single keys while the user types or a dialog is open. */
export function useHotkeys(hotkeys: Hotkeys): void {
  const current = useRef(hotkeys)
  const [mountedAtMs] = useState(now)
  useEffect(() => {
    current.current = hotkeys
    runRequestedHotkey(hotkeys, mountedAtMs)
  })
  useEffect(() => {
    if (active.length === 0) document.addEventListener('keydown', listen)
    active = [current, ...active]
    return () => {
      active = active.filter((one) => one !== current)
      if (active.length === 0) document.removeEventListener('keydown', listen)
    }
  }, [])
}

/** Runs a hotkey of a page immediately if the page is open, or otherwise when the page registers the key. */
export function requestHotkey(pathname: string, name: string): void {
  if (location.pathname === pathname) {
    active.find(({ current }) => current[name] !== undefined)?.current[name]?.()
    return
  }
  requested = { pathname, name, atMs: now() }
}

function runRequestedHotkey(hotkeys: Hotkeys, mountedAtMs: number): void {
  if (requested === null || requested.pathname !== location.pathname || mountedAtMs < requested.atMs) return
  const { name, atMs } = requested
  if (now() - atMs > REQUEST_MS) requested = null
  else if (hotkeys[name] !== undefined) {
    requested = null
    hotkeys[name]()
  }
}
