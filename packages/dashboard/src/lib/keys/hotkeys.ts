import { useEffect, useRef, useState } from 'react'
import { now } from '../clock.ts'

/** Actions by key: `mod+s` (Ctrl, or ⌘ on a Mac), `mod+enter`, `?`, `/`, or `g a` (one key after the other). */
export type Hotkeys = Readonly<Record<string, () => void>>

interface PressedKey {
  readonly name: string
  readonly timestampMs: number
}

/** Maximum time between the keys of a pair. */
const PAIR_MS = 1_500
/** Maximum time that a requested hotkey waits for its page to load. */
const REQUEST_TTL_MS = 10_000

/** Hotkeys of the mounted components, latest first. */
let mountedHotkeys: readonly { readonly current: Hotkeys }[] = []
let previousKey: PressedKey | null = null
let hotkeyRequest: (PressedKey & { readonly pathname: string }) | null = null

/** Finds the action for a key or a pair of keys. Pairs take precedence, so `g n` does not run `n`. */
export function findHotkey(
  hotkeySets: readonly Hotkeys[],
  firstKey: PressedKey | null,
  pressedKey: PressedKey,
): (() => void) | null {
  const findAction = (name: string): (() => void) | undefined =>
    hotkeySets.find((hotkeys) => hotkeys[name] !== undefined)?.[name]
  const isPair = firstKey !== null && pressedKey.timestampMs - firstKey.timestampMs < PAIR_MS
  return (isPair ? findAction(`${firstKey.name} ${pressedKey.name}`) : undefined) ?? findAction(pressedKey.name) ?? null
}

function handleKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return
  const pressedKey = { name: getKeyName(event), timestampMs: now() }
  if (!pressedKey.name.startsWith('mod+') && (isTyping(event.target) || isInDialog())) return
  const action = findHotkey(
    mountedHotkeys.map(({ current }) => current),
    previousKey,
    pressedKey,
  )
  previousKey = action === null ? pressedKey : null
  if (action === null) return
  event.preventDefault()
  action()
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
  const latestHotkeys = useRef(hotkeys)
  const [mountedAtMs] = useState(now)
  useEffect(() => {
    latestHotkeys.current = hotkeys
    runPendingHotkey(hotkeys, mountedAtMs)
  })
  useEffect(() => {
    if (mountedHotkeys.length === 0) document.addEventListener('keydown', handleKeyDown)
    mountedHotkeys = [latestHotkeys, ...mountedHotkeys]
    return () => {
      mountedHotkeys = mountedHotkeys.filter((entry) => entry !== latestHotkeys)
      if (mountedHotkeys.length === 0) document.removeEventListener('keydown', handleKeyDown)
    }
  }, [])
}

/** Runs a hotkey of a page immediately if the page is open, or otherwise when the page registers the key. */
export function requestHotkey(pathname: string, name: string): void {
  if (location.pathname === pathname) {
    mountedHotkeys.find(({ current }) => current[name] !== undefined)?.current[name]?.()
    return
  }
  hotkeyRequest = { pathname, name, timestampMs: now() }
}

function runPendingHotkey(hotkeys: Hotkeys, mountedAtMs: number): void {
  if (hotkeyRequest === null || hotkeyRequest.pathname !== location.pathname || mountedAtMs < hotkeyRequest.timestampMs)
    return
  const { name, timestampMs } = hotkeyRequest
  if (now() - timestampMs > REQUEST_TTL_MS) hotkeyRequest = null
  else if (hotkeys[name] !== undefined) {
    hotkeyRequest = null
    hotkeys[name]()
  }
}
