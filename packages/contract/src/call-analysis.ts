import { CallPath, OneCall } from './call.ts'
import { defineOperation } from './operation.ts'

/** What is found out about calls that are over. */

export const analyseCall = defineOperation({
  name: 'analyseCall',
  method: 'POST',
  path: '/api/v1/calls/{callId}/analysis',
  tag: 'Calls',
  summary: 'Analyse a call again',
  description:
    'Every call is analysed once it is over. This does it again, from what is stored of the call and by the settings of its ' +
    'agents; `call_analyzed` is told again. When no model answers, what was known stays.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  result: OneCall,
  errors: ['not_found', 'in_use', 'call_not_stored', 'provider_error', 'provider_timeout'],
})
