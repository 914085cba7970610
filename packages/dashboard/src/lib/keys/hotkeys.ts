import { useEffect, useRef } from 'react'
import { now } from '../clock.ts'

/** `mod+s` (Ctrl, or ⌘ on a Mac), `mod+enter`, `?`, `/`, `g a` (one after the other), `Escape`. */
export type Hotkeys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** The second key of a pair must follow the first within this time. */
const PAIR_MS = 1_500

let first: { readonly key: string; readonly atMs: number } | null = null

/** Whether keys belong to what is typed. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  return target.matches('input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select')
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const named = key === 'Enter' ? 'enter' : key
  return event.metaKey || event.ctrlKey ? `mod+${event.shiftKey ? 'shift+' : ''}${named}` : named
}

/** Keys of the page while a component is shown. Those of later components come first; single keys do not count while typing. */
export function useHotkeys(hotkeys: Hotkeys): void {
  const current = useRef(hotkeys)
  useEffect(() => {
    current.current = hotkeys
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => handle(event, current.current)
    // Dialogs and editors see their keys first.
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function handle(event: KeyboardEvent, hotkeys: Hotkeys): void {
  if (event.defaultPrevented || event.altKey) return
  const name = nameOf(event)
  if (!name.startsWith('mod+') && (isTyping(event.target) || isInDialog())) return
  const isPair = first !== null && now() - first.atMs < PAIR_MS
  const pair = isPair && first !== null ? `${first.key} ${name}` : ''
  const run = hotkeys[pair] ?? hotkeys[name]
  if (run !== undefined) {
    event.preventDefault()
    first = null
    run(event)
  } else if (Object.keys(hotkeys).some((key) => key.startsWith(`${name} `))) first = { key: name, atMs: now() }
}

function isInDialog(): boolean {
  return document.querySelector('[role=dialog][data-state=open], [role=alertdialog][data-state=open]') !== null
}
