import { Page } from '../../components/page.tsx'

export function FlowsScreen() {
  return <Page title="FlowsScreen">…</Page>
}
