import { useState } from 'react'
import { CONTROL_CLASS, Field } from '../../../components/field.tsx'
import { message, useText } from '../../../lib/language.ts'
import { type FileFault, readAgentFile } from '../agent-file.ts'
import type { AgentApi, AnyAgent } from '../agent-kind.ts'
import type { WayProps } from './ways.tsx'

const FAULTS: Readonly<Record<FileFault, string>> = {
  'no-json': message('This file is no JSON.'),
  'no-agent': message('This file holds no agent that was exported here.'),
  'other-kind': message(
    'This file holds an agent of the other kind: agents and chat agents are imported where they belong.',
  ),
  'no-engine': message('The agent in this file says nothing about what it answers with.'),
  'no-llm': message('The prompt of the agent is missing in this file.'),
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
    const found = readAgentFile<Value>(kind, await chosen.text())
    setFault(found.fault)
    onChange({ file: found.file })
  }
  const name = form.file?.agent.agent_name
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Field
        label={t('File')}
        help={t('An agent that was exported here: its settings, with its prompt where it has one.')}
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
      {form.file && (
        <p role="status" dir="auto" className="break-words">
          {form.file.llm
            ? t('{name} is imported with its prompt.', { name: name || t('The agent') })
            : t('{name} is imported. What it answers with must exist in this workspace.', {
                name: name || t('The agent'),
              })}
        </p>
      )}
    </div>
  )
}
