import { ArrowRightLeft, Waypoints, Wrench } from 'lucide-react'
import { useFormats } from '../../lib/format.ts'
import { type Text, useText } from '../../lib/language.ts'
import { Bubble } from './bubble.tsx'
import type { CallLine, HappenedLine, Latency } from './call-state.ts'
import { latencyParts } from './call-words.ts'

/** Something that was said or happened in a call. */
export function CallLineView({ line, agentName }: { readonly line: CallLine; readonly agentName: string }) {
  const t = useText()
  if (line.kind !== 'said') return <Happened line={line} />
  const { role, text, isFinal, isInterrupted, latency } = line
  return (
    <Bubble
      side={role === 'agent' ? 'agent' : 'person'}
      speaker={role === 'agent' ? agentName : t('You')}
      isFaint={!isFinal}
      note={latency && <LatencyNote latency={latency} />}
    >
      {isInterrupted ? `${text} …` : text}
    </Bubble>
  )
}

function LatencyNote({ latency }: { readonly latency: Latency }) {
  const t = useText()
  const { duration } = useFormats()
  const parts = latencyParts(latency).map(([name, milliseconds]) => `${t(name)} ${duration(milliseconds)}`)
  const total = t('answered in {time}', { time: duration(Math.max(0, Math.round(latency.totalMs))) })
  if (parts.length === 0) return <span>{total}</span>
  return (
    <details>
      <summary>{total}</summary>
      <span>{parts.join(', ')}</span>
    </details>
  )
}

const ICONS = { tool: Wrench, agent: ArrowRightLeft, node: Waypoints } as const

function Happened({ line }: { readonly line: HappenedLine }) {
  const t = useText()
  const Icon = ICONS[line.kind]
  return (
    <p className="flex max-w-full min-w-0 items-center gap-2 self-center text-xs text-muted">
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="min-w-0 break-words" dir="auto">
        {happenedWords(line, t)}
      </span>
    </p>
  )
}

function happenedWords({ kind, name, isOver }: HappenedLine, t: Text): string {
  if (kind === 'agent') return t('{name} takes over', { name })
  if (kind === 'node') return t('At the node {name}', { name })
  return isOver ? t('Used the tool {name}', { name }) : t('Uses the tool {name} …', { name })
}
