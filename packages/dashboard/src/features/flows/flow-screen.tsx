import { Page } from '../../components/page.tsx'

export function FlowScreen() {
  return <Page title="FlowScreen">…</Page>
}
