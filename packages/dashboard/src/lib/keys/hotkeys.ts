import { useEffect, useRef } from 'react'
import { now } from '../clock.ts'
import { chooseHotkey, type Hotkeys, type PressedKey } from './choose-hotkey.ts'

export type { Hotkeys } from './choose-hotkey.ts'

/** Keys of what is shown, those of the newest part first. */
let active: readonly { readonly current: Hotkeys }[] = []
let before: PressedKey | null = null

function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return
  const pressed = { name: nameOf(event), atMs: now() }
  if (!pressed.name.startsWith('mod+') && (isTyping(event.target) || isInDialog())) return
  const run = chooseHotkey(
    active.map(({ current }) => current),
    before,
    pressed,
  )
  before = run === null ? pressed : null
  if (run === null) return
  event.preventDefault()
  run()
}

/** Whether keys belong to what is typed. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  return target.matches('input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select')
}

function isInDialog(): boolean {
  return document.querySelector('[role=dialog][data-state=open], [role=alertdialog][data-state=open]') !== null
}

function nameOf({ key, metaKey, ctrlKey, shiftKey }: KeyboardEvent): string {
  const name = key === 'Enter' ? 'enter' : key.length === 1 ? key.toLowerCase() : key
  return metaKey || ctrlKey ? `mod+${shiftKey ? 'shift+' : ''}${name}` : name
}

/** Keys of the page while a component is shown. Single keys do not count while somebody types or a dialog is open. */
export function useHotkeys(hotkeys: Hotkeys): void {
  const current = useRef(hotkeys)
  useEffect(() => {
    current.current = hotkeys
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
