import type { CustomTool } from '@parley/contract/tools'
import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolJson, ToolNumber, ToolPairs, ToolSelect, ToolSwitch, ToolText } from '../bound-fields.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly CustomTool['method'][]
const MS_PER_S = 1_000
const EXAMPLE_ADDRESS = 'https://api.example.com/orders/{{order}}'

/** Calls an HTTP endpoint. */
export function CustomForm() {
  const t = useText()
  return (
    <>
      <FormGroup title={t('Request')}>
        <div className="grid gap-4 sm:grid-cols-[10rem_1fr]">
          <ToolSelect
            path="method"
            label={t('Method')}
            absentLabel={t('{value} (default)', { value: 'POST' })}
            choices={METHODS.map((method) => ({ value: method, label: method }))}
          />
          <ToolText path="url" label={t('Address')} placeholder={EXAMPLE_ADDRESS} />
        </div>
        <ToolPairs
          path="headers"
          label={t('Headers')}
          help={t('Values may hold {example}.', { example: '{{variables}}' })}
          addLabel={t('Add header')}
        />
        <ToolPairs
          path="query_params"
          label={t('Parameters of the address')}
          help={t('Added to the address; values may hold {example}.', { example: '{{variables}}' })}
          addLabel={t('Add parameter')}
        />
        <ToolSwitch
          path="args_at_root"
          label={t('Send the bare arguments')}
          help={t('Off: an object with the name of the tool, the conversation and the arguments.')}
        />
      </FormGroup>
      <FormGroup title={t('Arguments')}>
        <ToolJson
          path="parameters"
          label={t('What the model gives, as JSON Schema')}
          help={t('An object with a property for each argument; describe them, so that the model fills them well.')}
        />
      </FormGroup>
      <ResultFields>
        <Limits />
      </ResultFields>
    </>
  )
}

function Limits() {
  const t = useText()
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ToolNumber
        path="timeout_ms"
        label={t('Time limit')}
        unit="s"
        scale={MS_PER_S}
        minimum={1}
        maximum={600}
        placeholder="120"
      />
      <ToolNumber
        path="max_retry"
        label={t('Repeat a failed call')}
        unit={t('times')}
        minimum={0}
        maximum={5}
        placeholder="0"
      />
    </div>
  )
}

/** Variables out of the result, and what else is about it. */
export function ResultFields({ children }: { readonly children?: React.ReactNode }) {
  const t = useText()
  return (
    <FormGroup title={t('Result')}>
      <ToolPairs
        path="response_variables"
        label={t('Variables to set from the result')}
        help={t('The name of the variable, and the path of its value such as {example}.', {
          example: '$.customer.name',
        })}
        addLabel={t('Add variable')}
      />
      {children}
    </FormGroup>
  )
}
