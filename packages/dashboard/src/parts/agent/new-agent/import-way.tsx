import { useState } from 'react'
import { CONTROL_CLASS, Field } from '../../../components/field.tsx'
import { message, useText } from '../../../lib/language.ts'
import { readAgentFile } from '../agent-file.ts'
import type { AgentFile, FileFault } from '../agent-file-content.ts'
import type { AgentApi, AnyAgent } from '../agent-kind.ts'
import type { WayProps } from './ways.tsx'

const FAULTS: Readonly<Record<FileFault, string>> = {
  'no-json': message('This file is no JSON.'),
  'no-agent': message('This file holds no agent that was exported here or from Retell.'),
  'other-kind': message(
    'This file holds an agent of the other kind: agents and chat agents are imported where they belong.',
  ),
  'no-engine': message('response_engine: the agent in this file does not say what it answers with.'),
  'no-llm': message('The prompt of the agent is missing in this file.'),
  'no-retell-llm': message(
    'retellLlmData: the prompt of this Retell agent is missing. An export from the dashboard of Retell holds it.',
  ),
  'no-retell-flow': message(
    'conversationFlow: the flow of this Retell agent is missing. An export from the dashboard of Retell holds it.',
  ),
}

/** Reads an exported agent. */
export function ImportWay<Value extends AnyAgent>({
  form,
  onChange,
  kind,
}: WayProps<Value> & { readonly kind: AgentApi<Value>['kind'] }) {
  const t = useText()
  const [fault, setFault] = useState<FileFault | null>(null)
  const read = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return
    // A file that has gone meanwhile cannot be read; there is nothing in it either.
    const found = readAgentFile<Value>(kind, await chosen.text().catch(() => ''))
    setFault(found.fault)
    onChange({ file: found.file })
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Field
        label={t('File')}
        help={t('An agent that was exported here or from the dashboard of Retell, with what it answers with.')}
        error={fault && t(FAULTS[fault])}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept="application/json,.json"
            className={CONTROL_CLASS}
            onChange={(event) => void read(event.target.files?.[0])}
          />
        )}
      </Field>
      {form.file && <WhatIsImported file={form.file} />}
    </div>
  )
}

function WhatIsImported<Value extends AnyAgent>({
  file: { agent, llm, flow, leftOut },
}: {
  readonly file: AgentFile<Value>
}) {
  const t = useText()
  const name = agent.agent_name || t('The agent')
  return (
    <div role="status" className="flex min-w-0 flex-col gap-3">
      <p dir="auto" className="break-words">
        {llm
          ? t('{name} is imported with its prompt.', { name })
          : flow
            ? t('{name} is imported with its conversation flow.', { name })
            : 'llm_websocket_url' in agent.response_engine
              ? t('{name} is imported.', { name })
              : t('{name} is imported. What it answers with must exist in this workspace.', { name })}
      </p>
      {leftOut.length > 0 && (
        <section
          aria-label={t('What is left out')}
          className="flex min-w-0 flex-col gap-2 rounded-md bg-warn-soft p-3 text-warn"
        >
          <p>
            {t('{count, plural, one {# setting has} other {# settings have}} no place here and will be left out:', {
              count: leftOut.length,
            })}
          </p>
          <ul className="grid gap-x-5 gap-y-1 sm:grid-cols-2">
            {leftOut.map((path) => (
              <li key={path} dir="auto" className="min-w-0 font-mono text-xs wrap-anywhere">
                {path}
              </li>
            ))}
          </ul>
          <p>{t('Voices, knowledge bases and other agents do not come with it: choose yours afterwards.')}</p>
        </section>
      )}
    </div>
  )
}
