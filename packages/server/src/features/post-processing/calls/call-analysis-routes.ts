import { analyseCall } from '@parley/contract/call-analysis'
import { type Api, implement } from '../../../kernel/api/implement.ts'
import type { CallAnalysisService } from './call-analysis-service.ts'

/** Mounts the operation that analyses a call again. Who goes away meanwhile finds it analysed later. */
export function registerCallAnalysisRoutes(api: Api, service: CallAnalysisService): void {
  implement(
    api,
    analyseCall,
  )(async ({ path }, { actor }) => ({
    success: true as const,
    call: await service.analyze(actor, path.callId),
  }))
}
