import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { setTimer } from '../lib/clock.ts'
import { useHotkeys } from '../lib/keys/hotkeys.ts'
import { CONTROL_CLASS } from './field.tsx'

const PAUSE_MS = 250

/** Renders a search box that searches after a pause in typing. Press `/` to focus the box. `value` is the current search. */
export function SearchBox({
  label,
  value,
  onSearch,
}: {
  readonly label: string
  readonly value: string
  readonly onSearch: (text: string) => void
}) {
  const [typed, setTyped] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const search = useRef(onSearch)
  useEffect(() => {
    search.current = onSearch
  })
  useEffect(() => (typed === value ? undefined : setTimer(PAUSE_MS, () => search.current(typed))), [typed, value])
  useEffect(() => setTyped(value), [value])
  useHotkeys({ '/': () => input.current?.focus() })
  return (
    <div className="relative w-full max-w-sm">
      <Search aria-hidden="true" className="pointer-events-none absolute start-2.5 top-2.5 size-4 text-muted" />
      <input
        ref={input}
        type="search"
        dir="auto"
        aria-label={label}
        placeholder={label}
        className={`${CONTROL_CLASS} ps-8`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  )
}
