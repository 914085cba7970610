import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { setTimer } from '../lib/clock.ts'
import { useHotkeys } from '../lib/keys/hotkeys.ts'
import { CONTROL_CLASS } from './field.tsx'

const DEBOUNCE_MS = 250

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
  const [inputText, setInputText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const latestOnSearch = useRef(onSearch)
  useEffect(() => {
    latestOnSearch.current = onSearch
  })
  useEffect(
    () => (inputText === value ? undefined : setTimer(DEBOUNCE_MS, () => latestOnSearch.current(inputText))),
    [inputText, value],
  )
  useEffect(() => setInputText(value), [value])
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
        value={inputText}
        onChange={(event) => setInputText(event.target.value)}
      />
    </div>
  )
}
