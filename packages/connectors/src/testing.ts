export {
  type ConnectorTransportSubject,
  type ConnectorTransportSuite,
  connectorTransportConformance,
} from './testing/connector-transport-conformance.ts';
export {
  type FakeTool,
  type FakeTransport,
  type FakeTransportOptions,
  fakeTransport,
} from './testing/fake-transport.ts';
